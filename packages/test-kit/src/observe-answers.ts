import { AnswerObserver } from './answer-observer.ts';

/**
 * The only observer of this process: diagnostics channels do not know tests, and the test files of a worker
 * share its modules.
 */
export const answerObserver = new AnswerObserver();
answerObserver.start();
