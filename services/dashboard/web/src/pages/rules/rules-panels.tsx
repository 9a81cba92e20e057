import { Button } from '@mantine/core';
import type { Rules, RulesReport } from '@model-gateway/shared/rules';
import type { UseQueryResult } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { RulesOwnerQuery } from '../../../../wire/rules.ts';
import { ResultAlert } from '../../components/focused-alert.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { includesRole, useMay } from '../../session/use-may.ts';
import { useSession } from '../../session/use-session.ts';
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
  const role = useSession().data?.user?.role;
  const mayRead = role !== undefined && includesRole(role, 'developer');
  const mayEdit = useMay(props.owner.kind === 'key' ? 'developer' : 'admin');
  if (!mayRead) return null;
  return <ReadRules {...props} editTitle={mayEdit ? props.editTitle : undefined} />;
}

function ReadRules({ owner, ...props }: RulesPanelsProps) {
  const save = useSaveRules(owner);
  const query = useRules(owner);
  return <RulesReportPanels {...props} kind={owner.kind} query={query} report={query.data} save={save} />;
}

interface RulesReportPanelsProps extends Omit<RulesPanelsProps, 'owner'> {
  kind: RulesOwnerQuery['kind'];
  query: UseQueryResult;
  /** Undefined: not read yet. */
  report: RulesReport | undefined;
  /** Replaces the rules. @returns false if a part of the gateway may still use the old ones */
  save: (rules: Rules) => Promise<boolean>;
}

/** Shows the budgets and rules of a report, and edits them. */
export function RulesReportPanels(props: RulesReportPanelsProps) {
  const { editTitle, kind, noBudgets, onSaved, query, report, save: saveRules } = props;
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
      <QueryState query={query} loading="Reading the rules" />
      {report !== undefined && (
        <>
          <BudgetsPanel
            budgets={report.spend}
            perEndUser={kind === 'end_users' ? report.budgets : []}
            none={noBudgets}
            actions={edit}
          />
          <EffectivePanel report={report} />
          {isEditing && editTitle !== undefined && (
            <RulesDialog
              title={editTitle}
              rules={ownRules(report)}
              isOfEndUsers={kind === 'end_users' || kind === 'end_user'}
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
export function ownRules({
  effective: _effective,
  from: _from,
  spend: _spend,
  ...rules
}: RulesReport): Rules {
  // The report comes from the control plane, which stores only valid rules.
  return rules as Rules;
}
