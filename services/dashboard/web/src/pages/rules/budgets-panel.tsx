import { SimpleGrid, Text } from '@mantine/core';
import type { BudgetState, ReportedBudget } from '@model-gateway/shared/rules';
import type { ReactNode } from 'react';
import { Hint } from '../../components/hint.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatUsd } from '../../format/format-usd.ts';
import { BudgetCard } from './budget-card.tsx';
import { WINDOW_NAMES } from './rule-words.ts';

interface BudgetsPanelProps {
  budgets: readonly BudgetState[];
  /** Budgets of every end user; each has spent another part of them. */
  perEndUser: readonly ReportedBudget[];
  /** Shown without a budget. */
  none: string;
  actions?: ReactNode;
}

/** Shows the budgets that a request must fit into. */
export function BudgetsPanel({ budgets, perEndUser, none, actions }: BudgetsPanelProps) {
  return (
    <Panel title="Budgets" description="Requests must fit into each of them." actions={actions}>
      {budgets.length + perEndUser.length === 0 && <Hint>{none}</Hint>}
      {perEndUser.map(({ id, usd, window, on_exceed }) => (
        <Text key={id} size="sm">
          {formatUsd(usd)} {WINDOW_NAMES[window].toLowerCase()} for each end user
          {on_exceed === 'warn' && ', only a warning'}.
        </Text>
      ))}
      {budgets.length > 0 && (
        <SimpleGrid
          component="ul"
          className="plain-list"
          aria-label="Budgets"
          cols={{ base: 1, sm: budgets.length > 1 ? 2 : 1 }}
          spacing="md"
        >
          {budgets.map((budget) => (
            <BudgetCard key={budget.id} budget={budget} />
          ))}
        </SimpleGrid>
      )}
    </Panel>
  );
}
