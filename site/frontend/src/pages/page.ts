import { reportHeight } from "../embedding";
import { registerServiceWorker } from "../service-worker-client";
import "../progress-marks";
import { listenForShortcuts } from "../shortcuts";

registerServiceWorker();
reportHeight();
listenForShortcuts();
