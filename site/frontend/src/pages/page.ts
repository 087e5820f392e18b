import { keepSite } from "../keeping";
import "../marks";
import { speakOfService } from "../submit/overview";

keepSite();
speakOfService();
