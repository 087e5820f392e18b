import { embed } from "../embedding";
import { keepSite } from "../service-worker-client";
import "../progress-marks";
import { listenForShortcuts } from "../shortcuts";

keepSite();
embed();
listenForShortcuts();
