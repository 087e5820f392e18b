import { startFigures } from "../figures/start";
import { replayGpt, typeWrongAnswer } from "../home/demonstrations";
import { startResumeCard } from "../resume-card";

startResumeCard();
startFigures();
void typeWrongAnswer();
void replayGpt();
