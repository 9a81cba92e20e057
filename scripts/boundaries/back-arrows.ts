import type { BackArrow } from './circles.ts';

/** Exceptions to the rule that folders of a service import each other in one direction. */
export const BACK_ARROWS: readonly BackArrow[] = [];
