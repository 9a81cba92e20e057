import { Button } from '@mantine/core';
import type { Rules, RulesReport } from '@model-gateway/shared/rules';
import { useRef, useState } from 'react';
import type { RulesOwnerQuery } from '../../../../wire/rules.ts';
import { ResultAlert } from '../../components/focused-alert.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useMay } from '../../session/use-may.ts';
import { BudgetsPanel } from './budgets-panel.tsx';
import { EffectivePanel } from './effective-panel.tsx';
import { RulesDialog } from './rules-dialog.tsx';
import { useRules, useSaveRules } from './use-rules.ts';

interface RulesPanelsProps {
  owner: RulesOwnerQuery;
  /** The title of the form. Left out: the reader may not change the rules. */
  editTitle?: string | undefined;
  /** Shown without a budget. */
  noBudgets: string;
  onSaved?: () => void;
}

/** Shows budgets and rules of an owner with those of the levels above it; nothing to a viewer. */
export function RulesPanels(props: RulesPanelsProps) {
  const mayRead = useMay('developer');
  const mayEdit = useMay(props.owner.kind === 'key' ? 'developer' : 'admin');
  if (!mayRead) return null;
  return <ReadRules {...props} editTitle={mayEdit ? props.editTitle : undefined} />;
}

function ReadRules({ owner, editTitle, noBudgets, onSaved }: RulesPanelsProps) {
  const report = useRules(owner);
  const saveRules = useSaveRules(owner);
  const [isEditing, setEditing] = useState(false);
  const editButton = useRef<HTMLButtonElement>(null);
  const [appliedEverywhere, setApplied] = useState<boolean>();
  const save = async (rules: Rules) => {
    setApplied(await saveRules(rules));
    setEditing(false);
    onSaved?.();
  };
  const cancel = () => {
    setEditing(false);
    editButton.current?.focus();
  };
  const edit = editTitle !== undefined && (
    <Button
      ref={editButton}
      variant="default"
      size="xs"
      onClick={() => {
        setApplied(undefined);
        setEditing(true);
      }}
    >
      Edit rules
    </Button>
  );
  return (
    <>
      {appliedEverywhere !== undefined && <SavedNotice appliedEverywhere={appliedEverywhere} />}
      <QueryState query={report} loading="Reading the rules" />
      {report.data !== undefined && (
        <>
          <BudgetsPanel
            budgets={report.data.spend}
            perEndUser={owner.kind === 'end_users' ? report.data.budgets : []}
            none={noBudgets}
            actions={edit}
          />
          <EffectivePanel report={report.data} />
          {isEditing && editTitle !== undefined && (
            <RulesDialog
              title={editTitle}
              rules={ownRules(report.data)}
              isOfEndUsers={owner.kind === 'end_users' || owner.kind === 'end_user'}
              save={save}
              onCancel={cancel}
            />
          )}
        </>
      )}
    </>
  );
}

/** Confirms a change of rules. */
function SavedNotice({ appliedEverywhere }: { appliedEverywhere: boolean }) {
  return (
    <ResultAlert isCertain={appliedEverywhere}>
      {appliedEverywhere
        ? 'The rules are saved. Every request from now on must be within them.'
        : 'The rules are saved, but a part of the gateway could not be reached to confirm them. That part ' +
          'uses them when it is back.'}
    </ResultAlert>
  );
}

/** Returns the owner's own rules of a report, without those of other levels. */
function ownRules({ effective: _effective, from: _from, spend: _spend, ...rules }: RulesReport): Rules {
  // The report comes from the control plane, which stores only valid rules.
  return rules as Rules;
}
