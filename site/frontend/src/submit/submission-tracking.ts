/** A submission on its way: told by the service as it happens, or asked for where that fails. */

import { Refusal, type Service, type State } from "./service";

const FIRST_MS = 1_000;
const LONGEST_MS = 15_000;

/** Follow a submission until it is graded or parked; `tell` hears of each step, `away` of silence. */
export async function follow(
  service: Service,
  id: string,
  tell: (state: State) => void,
  away: () => void,
): Promise<State> {
  return (await listen(service, id, tell)) ?? poll(service, id, tell, away);
}

/** Listen to its events; nothing if they break off before the end. */
function listen(service: Service, id: string, tell: (state: State) => void): Promise<State | null> {
  return new Promise((resolve) => {
    const events = service.events(id);
    const end = (state: State | null): void => {
      events.close();
      resolve(state);
    };
    events.addEventListener("state", ({ data }: MessageEvent<string>) => {
      const state = JSON.parse(data) as State;
      tell(state);
      if (state.state !== "pending") end(state);
    });
    events.addEventListener("error", () => end(null));
  });
}

/** Ask again and again, at longer and longer intervals while nobody answers. */
async function poll(
  service: Service,
  id: string,
  tell: (state: State) => void,
  away: () => void,
): Promise<State> {
  let pause = FIRST_MS;
  for (;;) {
    try {
      const state = await service.state(id);
      tell(state);
      if (state.state !== "pending") return state;
      pause = FIRST_MS;
    } catch (error) {
      const isPassing = error instanceof Refusal && (error.status === 0 || error.status >= 500 || error.status === 429);
      if (!isPassing) throw error;
      away();
      pause = Math.min(2 * pause, LONGEST_MS);
    }
    await new Promise((go) => setTimeout(go, pause));
  }
}
