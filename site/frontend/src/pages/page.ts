import { embed } from "../embedding";
import { keepSite } from "../keeping";
import "../marks";
import { listenForShortcuts } from "../shortcuts";

keepSite();
embed();
listenForShortcuts();
