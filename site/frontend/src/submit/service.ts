/** The client of the grading service: the session, and all requests. */

/** The signed-in person, and the token that each of their requests must send. */
export interface Session {
  readonly name: string;
  readonly csrf: string;
}

export interface SubmissionState {
  readonly id: string;
  readonly state: "pending" | "parked" | "graded";
  readonly position: number | null; // the number of submissions before it, counted up to 1000
}

/** A failed request, with a sentence for the learner. */
export class ServiceError extends Error {
  constructor(
    readonly status: number, // the HTTP status; 0 without a response
    message: string,
    readonly seconds = 0, // the time to wait before the next request
  ) {
    super(message);
  }
}

export const UNREACHABLE_SENTENCE = "The service cannot be reached. What you wrote is kept here: submit it again later.";

const STATUS_SENTENCES: Readonly<Record<number, string>> = {
  401: "You are not signed in, or no longer: sign in, then submit again.",
  403: "The service did not take this as coming from your page: load the page again, then submit.",
  404: "The service does not know this exercise: it may be of another version than this page.",
  409: "This came to the service before as something else: submit it once more.",
  413: "Your code is longer than what the service takes.",
  422: "The service cannot read this: it may be too long, or hold characters that are no text.",
  429: "The service takes no more submissions for a moment.",
};

export class Service {
  session: Session | null = null;

  constructor(private readonly address: URL) {}

  /** Load the session; null if no one is signed in. */
  async loadSession(): Promise<Session | null> {
    try {
      this.session = (await this.get("session")) as Session;
    } catch (error) {
      if (!(error instanceof ServiceError && error.status === 401)) throw error;
      this.session = null;
    }
    return this.session;
  }

  async signIn(token: string): Promise<void> {
    try {
      this.session = (await this.#send("POST", "session", { token })) as Session;
    } catch (error) {
      if (!(error instanceof ServiceError) || ![401, 422].includes(error.status)) throw error;
      throw new ServiceError(401, "This token is unknown, expired or revoked.");
    }
  }

  async signOut(): Promise<void> {
    await this.#send("DELETE", "session");
    this.session = null;
  }

  /** Submit a program; the same key again means the same submission. */
  async submit(exercise: string, source: string, key: string): Promise<SubmissionState> {
    const body = { exercise, source };
    return (await this.#send("POST", "submissions", body, { "Idempotency-Key": key })) as SubmissionState;
  }

  async state(id: string): Promise<SubmissionState> {
    return (await this.get(`submissions/${id}`)) as SubmissionState;
  }

  async verdict(id: string): Promise<unknown> {
    return this.get(`submissions/${id}/verdict`);
  }

  events(id: string): EventSource {
    return new EventSource(new URL(`submissions/${id}/events`, this.address));
  }

  async get(path: string): Promise<unknown> {
    return this.#request(path, {});
  }

  async #send(
    method: string,
    path: string,
    body?: object,
    extraHeaders: Readonly<Record<string, string>> = {},
  ): Promise<unknown> {
    const headers = { "X-CSRF-Token": this.session?.csrf ?? "", "Content-Type": "application/json", ...extraHeaders };
    return this.#request(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  }

  async #request(path: string, init: RequestInit): Promise<unknown> {
    const response = await fetch(new URL(path, this.address), init).catch(() => null);
    if (response === null) throw new ServiceError(0, UNREACHABLE_SENTENCE);
    if (!response.ok) throw await toServiceError(response);
    return response.status === 204 ? null : response.json();
  }
}

/** Format a UTC time of the service in the local time zone. */
export function formatLocalTime(time: string): string {
  const options = { dateStyle: "medium", timeStyle: "long" } as const;
  return new Intl.DateTimeFormat("en-GB", options).format(new Date(time));
}

async function toServiceError(response: Response): Promise<ServiceError> {
  const { status, headers } = response;
  if (status === 423) {
    // The exercise is not open yet, or there were too many attempts; the detail says until when.
    const { detail } = (await response.json()) as { detail: string };
    return new ServiceError(status, detail.replace(/\d{4}-[\d-]+T[\d:]+\+00:00/g, formatLocalTime));
  }
  const seconds = Number(headers.get("Retry-After")) || 0;
  const failed = "The service failed. What you wrote is kept here: submit it again later.";
  return new ServiceError(status, STATUS_SENTENCES[status] ?? failed, seconds);
}
