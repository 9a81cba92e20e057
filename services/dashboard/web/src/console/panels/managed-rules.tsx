import { Stack } from '@mantine/core';
import type { Rules, RulesReport } from '@model-gateway/shared/rules';
import { useQuery } from '@tanstack/react-query';
import type { RequestOf } from '../../../../wire/management.ts';
import { changeManagement, readManagement } from '../../api/management.ts';
import { refreshManagement } from '../../api/use-management.ts';
import { RulesReportPanels } from '../../pages/rules/rules-panels.tsx';
import { useMayChange } from '../../session/use-may-change.ts';

/** Owner of rules. `accountId` is the account of an end user. */
export interface ManagedRulesOwner {
  kind: 'account' | 'team' | 'seat' | 'key' | 'end_users' | 'end_user';
  id: string;
  accountId?: string;
}

/** Spent and reserved amounts change with every request. */
const REFRESH_MS = 10_000;

/** Reads the rules of an owner with their version. */
export function useManagedRules({ accountId, id, kind }: ManagedRulesOwner) {
  const request = { path: { kind, id }, query: accountId === undefined ? {} : { account_id: accountId } };
  const query = useQuery({
    queryKey: ['management', 'getRules', request],
    queryFn: async ({ signal }) => {
      const { body, etag } = await readManagement('getRules', request, signal);
      // The same schema of packages/shared describes it; only records are less exact in the document.
      return { report: body as RulesReport, etag };
    },
    refetchInterval: REFRESH_MS,
  });
  /** Replaces the rules that the user saw. @returns false if some data plane may still use the old ones */
  const save = async (rules: Rules): Promise<boolean> => {
    const etag = query.data?.etag;
    const { isConfirmed } = await changeManagement(
      'setRules',
      { ...request, body: sentRules(rules) },
      { etag },
    );
    await refreshManagement();
    return isConfirmed;
  };
  return { query, save };
}

type SentRules = NonNullable<RequestOf<'setRules'>['body']>;

/** The form only offers capabilities that the document names. */
function sentRules(rules: Rules): SentRules {
  return rules as SentRules;
}

interface ManagedRulesProps {
  owner: ManagedRulesOwner;
  editTitle: string;
  noBudgets: string;
}

/** Shows and edits the rules of an owner, and what applies to it from all levels. */
export function ManagedRules({ owner, editTitle, noBudgets }: ManagedRulesProps) {
  const { query, save } = useManagedRules(owner);
  const mayChange = useMayChange();
  return (
    <Stack gap="lg">
      <RulesReportPanels
        kind={owner.kind}
        query={query}
        report={query.data?.report}
        save={save}
        editTitle={mayChange ? editTitle : undefined}
        noBudgets={noBudgets}
      />
    </Stack>
  );
}
