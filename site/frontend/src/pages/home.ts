import { startFigures } from "../figures/start";
import { keepResumeUpToDate } from "../resume";

keepResumeUpToDate();
startFigures();
