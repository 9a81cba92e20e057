import { afterAll, afterEach } from 'vitest';
import { answerObserver } from './observe-answers.ts';

// Runs once for every test file: a test fails when a gateway gave an answer in it that does not agree with
// the document.
answerObserver.reset();
afterEach(() => answerObserver.assertDocumented());
// This hook runs after the file's own hooks, which close its gateway. It finds answers that came too late for
// the last test.
afterAll(() => answerObserver.assertDocumented());
