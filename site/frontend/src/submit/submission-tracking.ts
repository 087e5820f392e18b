/** Tracking of a submission: by server-sent events, or by polling if they fail. */

import { type Service, ServiceError, type SubmissionState } from "./service";

const FIRST_INTERVAL_MS = 1_000;
const MAX_INTERVAL_MS = 15_000;

/** Track a submission until it is graded or parked. `onState` gets each state; `onSilence` is called on failed requests. */
export async function trackSubmission(
  service: Service,
  id: string,
  onState: (state: SubmissionState) => void,
  onSilence: () => void,
): Promise<SubmissionState> {
  return (await trackByEvents(service, id, onState)) ?? trackByPolling(service, id, onState, onSilence);
}

/** Listen to a submission's events; return null if they break off before the end. */
function trackByEvents(service: Service, id: string, onState: (state: SubmissionState) => void): Promise<SubmissionState | null> {
  return new Promise((resolve) => {
    const events = service.events(id);
    const end = (state: SubmissionState | null): void => {
      events.close();
      resolve(state);
    };
    events.addEventListener("state", ({ data }: MessageEvent<string>) => {
      const state = JSON.parse(data) as SubmissionState;
      onState(state);
      if (state.state !== "pending") end(state);
    });
    events.addEventListener("error", () => end(null));
  });
}

/** Poll a submission's state, at growing intervals while requests fail. */
async function trackByPolling(
  service: Service,
  id: string,
  onState: (state: SubmissionState) => void,
  onSilence: () => void,
): Promise<SubmissionState> {
  let interval = FIRST_INTERVAL_MS;
  for (;;) {
    try {
      const state = await service.state(id);
      onState(state);
      if (state.state !== "pending") return state;
      interval = FIRST_INTERVAL_MS;
    } catch (error) {
      const isTemporary = error instanceof ServiceError && (error.status === 0 || error.status >= 500 || error.status === 429);
      if (!isTemporary) throw error;
      onSilence();
      interval = Math.min(2 * interval, MAX_INTERVAL_MS);
    }
    await new Promise((go) => setTimeout(go, interval));
  }
}
