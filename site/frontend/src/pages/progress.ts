import { readCourseExercises } from "../course";
import { button, findElement } from "../dom";
import { paintActivity } from "../progress-page/activity";
import { paintReview } from "../progress-page/review";
import { paintTotals } from "../progress-page/totals";
import { offerTransfer } from "../progress-page/transfer";
import { progress } from "../progress";
import { startResumeCard } from "../resume-card";
import { download } from "../download";
import { paintCertifiedSummary } from "../progress-page/certified-summary";
import { certificates } from "../submit/certificates";

const course = readCourseExercises();

function paintTrouble(): void {
  const notice = findElement("#trouble", HTMLElement);
  notice.hidden = progress.trouble === "";
  notice.replaceChildren(progress.trouble);
  const { unreadable } = progress;
  if (unreadable === null) return;
  const get = button("Download it", () => download("unreadable.json", unreadable, "application/json"), { class: "button" });
  const forget = button("Forget it", () => progress.forgetUnreadable(), { class: "button" });
  notice.append(" ", get, " ", forget);
}

function paint(): void {
  paintTrouble();
  paintTotals(progress.history);
  paintActivity(progress.history, course);
  paintReview(progress.history, course);
}

paint();
progress.subscribe(paint);
certificates.subscribe(paintCertifiedSummary);
startResumeCard();
offerTransfer(course);
