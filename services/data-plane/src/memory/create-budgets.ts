import { answerBudgetBounds, createAnswerBudget } from './answer-budget.ts';
import { bodyBudgetBounds, createBodyBudget } from './body-budget.ts';
import type { MemoryBudget } from './memory-budget.ts';
import { memoryLimitBytes } from './memory-limit.ts';

/** Memory budgets of bodies and responses. */
export interface Budgets {
  bodyBudget: MemoryBudget;
  answerBudget: MemoryBudget;
}

/** @param overrides what tests replace */
export function createBudgets(largestBodyBytes: number, overrides: Partial<Budgets>): Budgets {
  const limitBytes = memoryLimitBytes();
  return {
    bodyBudget: overrides.bodyBudget ?? createBodyBudget(bodyBudgetBounds(limitBytes, largestBodyBytes)),
    answerBudget: overrides.answerBudget ?? createAnswerBudget(answerBudgetBounds(limitBytes)),
  };
}
