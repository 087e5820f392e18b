import { keepResumeUpToDate } from "../resume";

keepResumeUpToDate();
