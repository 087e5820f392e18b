import { keepSite } from "../keeping";
import "../marks";

keepSite();
