/** What the builder tells a page of the tracks and their exercises. */

import { findElement } from "./dom";
import type { ExerciseEntry } from "./progress/status";

export interface CourseExercise extends ExerciseEntry {
  readonly title: string;
  readonly path: string; // from the site's root
  readonly lesson: string; // the title of the lesson that leads into it, or nothing
  readonly track: string; // the track's title
}

interface CourseTrack {
  readonly title: string;
  readonly exercises: readonly Omit<CourseExercise, "track">[];
}

/** Every exercise of the tracks that this page is about, in order; none where it is about none. */
export function readCourseExercises(): CourseExercise[] {
  if (document.getElementById("course") === null) return [];
  const tracks = JSON.parse(findElement("#course", HTMLScriptElement).text) as CourseTrack[];
  return tracks.flatMap(({ title, exercises }) => exercises.map((each) => ({ ...each, track: title })));
}
