import { startFigures } from "../figures/start";
import { showGpt, typeAnswer } from "../home/demonstrations";
import { keepResumeUpToDate } from "../resume-card";

keepResumeUpToDate();
startFigures();
void typeAnswer();
void showGpt();
