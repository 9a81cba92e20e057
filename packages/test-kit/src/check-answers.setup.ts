import { afterAll, afterEach } from 'vitest';
import { answerObserver } from './observe-answers.ts';

// Runs once for every test file: a test fails when a gateway gave an answer during it that is not documented.
answerObserver.reset();
afterEach(() => answerObserver.assertDocumented());
// After the file's own hooks, which close its gateway: what came too late for the last test.
afterAll(() => answerObserver.assertDocumented());
