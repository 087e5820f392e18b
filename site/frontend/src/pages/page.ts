import { keepSite } from "../keeping";
import "../marks";
import { listenForShortcuts } from "../shortcuts";

keepSite();
listenForShortcuts();
