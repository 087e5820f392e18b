/** The tracks and their exercises, which the site's builder writes into a page as JSON. */

import { findElement } from "./dom";
import type { ExerciseEntry } from "./progress/status";

export interface CourseExercise extends ExerciseEntry {
  readonly title: string;
  readonly path: string; // relative to the site's root
  readonly lesson: string; // the title of the lesson that introduces it, or ""
  readonly track: string; // the track's title
}

interface CourseTrack {
  readonly title: string;
  readonly exercises: readonly Omit<CourseExercise, "track">[];
}

/** Read the exercises of this page's tracks, in order. The list is empty on a page without tracks. */
export function readCourseExercises(): CourseExercise[] {
  if (document.getElementById("course") === null) return [];
  const tracks = JSON.parse(findElement("#course", HTMLScriptElement).text) as CourseTrack[];
  return tracks.flatMap(({ title, exercises }) => exercises.map((each) => ({ ...each, track: title })));
}
