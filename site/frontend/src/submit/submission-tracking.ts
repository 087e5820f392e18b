/** Tracking of a submission: by server-sent events, or by polling if they fail. */

import { type Service, ServiceError, type SubmissionState } from "./service";

const FIRST_INTERVAL_MS = 1_000;
const MAX_INTERVAL_MS = 15_000;

/** Track a submission until it is graded or parked. `tell` gets each state; `away` is called on failed requests. */
export async function trackSubmission(
  service: Service,
  id: string,
  tell: (state: SubmissionState) => void,
  away: () => void,
): Promise<SubmissionState> {
  return (await trackByEvents(service, id, tell)) ?? trackByPolling(service, id, tell, away);
}

/** Listen to a submission's events; return null if they break off before the end. */
function trackByEvents(service: Service, id: string, tell: (state: SubmissionState) => void): Promise<SubmissionState | null> {
  return new Promise((resolve) => {
    const events = service.events(id);
    const end = (state: SubmissionState | null): void => {
      events.close();
      resolve(state);
    };
    events.addEventListener("state", ({ data }: MessageEvent<string>) => {
      const state = JSON.parse(data) as SubmissionState;
      tell(state);
      if (state.state !== "pending") end(state);
    });
    events.addEventListener("error", () => end(null));
  });
}

/** Poll a submission's state, at growing intervals while requests fail. */
async function trackByPolling(
  service: Service,
  id: string,
  tell: (state: SubmissionState) => void,
  away: () => void,
): Promise<SubmissionState> {
  let pause = FIRST_INTERVAL_MS;
  for (;;) {
    try {
      const state = await service.state(id);
      tell(state);
      if (state.state !== "pending") return state;
      pause = FIRST_INTERVAL_MS;
    } catch (error) {
      const isPassing = error instanceof ServiceError && (error.status === 0 || error.status >= 500 || error.status === 429);
      if (!isPassing) throw error;
      away();
      pause = Math.min(2 * pause, MAX_INTERVAL_MS);
    }
    await new Promise((go) => setTimeout(go, pause));
  }
}
