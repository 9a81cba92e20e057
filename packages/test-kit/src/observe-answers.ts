import { AnswerObserver } from './answer-observer.ts';

/** The one of this process: diagnostics channels know no tests, and test files share a worker's modules. */
export const answerObserver = new AnswerObserver();
answerObserver.start();
