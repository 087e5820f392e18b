import { startFigures } from "../figures/start";
import { showGpt, typeAnswer } from "../home/showing";
import { keepResumeUpToDate } from "../resume";

keepResumeUpToDate();
startFigures();
void typeAnswer();
void showGpt();
