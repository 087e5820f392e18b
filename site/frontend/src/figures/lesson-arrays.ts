/** The arrays that a lesson's cells have defined, which figures can show. */

import type { Matrix } from "./attention";

/** The matrices that a lesson's cells have defined; null for anything but a small matrix of numbers. */
export type LessonArrays = Readonly<Record<(typeof LESSON_ARRAY_NAMES)[number], Matrix | null>>;

export const LESSON_ARRAY_NAMES = ["X", "W_Q", "W_K", "W_V"] as const;

/** Event on a figure, after cells of its lesson have run. The detail are `LessonArrays`. */
export const CELLS_RAN_EVENT = "etude:ran";
