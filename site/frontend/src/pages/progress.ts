import { courseExercises } from "../course";
import { button, find } from "../dom";
import { paintActivity } from "../progress-page/activity";
import { paintReview } from "../progress-page/review";
import { paintSums } from "../progress-page/totals";
import { offerTransfer } from "../progress-page/transfer";
import { progress } from "../progress";
import { keepResumeUpToDate } from "../resume-card";
import { download } from "../solve/download";
import { paintCertified } from "../submit/certified-summary";
import { certificates } from "../submit/certificates";

const course = courseExercises();

function paintTrouble(): void {
  const notice = find("#trouble", HTMLElement);
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
  paintSums(progress.history);
  paintActivity(progress.history, course);
  paintReview(progress.history, course);
}

paint();
progress.subscribe(paint);
certificates.subscribe(paintCertified);
keepResumeUpToDate();
offerTransfer(course);
