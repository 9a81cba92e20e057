import { NativeSelect, TextInput } from '@mantine/core';
import type { MoveMoneyRequest, Team } from '../../../../wire/teams.ts';
import type { Pool } from '../../../../wire/usage.ts';
import { postJson } from '../../api/client.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { nameProblem } from '../../components/name-problem.ts';
import { useForm } from '../../components/use-form.ts';
import { formatUsd } from '../../format/format-usd.ts';
import { amountProblem } from './amount-problem.ts';
import { poolOwnerLabel } from './pool-owner-label.ts';
import { listTransferTargets } from './transfer-targets.ts';
import { useTeamRefetch } from './use-team-change.ts';

interface MoveMoneyDialogProps {
  team: Team;
  sources: readonly Pool[];
  opened: boolean;
  onClose: () => void;
}

/** Moves a part of a pool to the account, the team or one of its seats. */
export function MoveMoneyDialog({ team, sources, opened, onClose }: MoveMoneyDialogProps) {
  const chooseSource = (poolId: string) => sources.find(({ id }) => id === poolId) ?? sources[0];
  const chooseTarget = (source: Pool | undefined, targetId: string) => {
    const targets = listTransferTargets(team, source);
    return targets.find(({ id }) => id === targetId) ?? targets[0];
  };
  const form = useForm({
    fields: { fromPoolId: '', to: '', usd: '', name: 'Budget' },
    check: ({ fromPoolId, usd, name }) => ({
      usd: amountProblem(usd, chooseSource(fromPoolId)?.remainingUsd ?? '0'),
      name: nameProblem(name),
    }),
    send: useTeamRefetch(async ({ fromPoolId, to, usd, name }, set) => {
      const source = chooseSource(fromPoolId);
      const owner = chooseTarget(source, to)?.to;
      if (source === undefined) return;
      const request: MoveMoneyRequest = { fromPoolId: source.id, usd: usd.trim(), name: name.trim() };
      await postJson<undefined>('/api/money/move', { ...request, ...(owner && { to: owner }) });
      set({ usd: '' });
      onClose();
    }),
  });
  const from = chooseSource(form.values.fromPoolId);
  return (
    <FormDialog opened={opened} title="Move money" submitLabel="Move" form={form} onClose={onClose}>
      <NativeSelect
        label="From"
        {...form.field('fromPoolId')}
        value={from?.id ?? ''}
        data={sources.map((pool) => ({
          value: pool.id,
          label: `${poolOwnerLabel(pool, team)}: ${pool.name} (${formatUsd(pool.remainingUsd ?? '0')} can be moved)`,
        }))}
      />
      <NativeSelect
        label="To"
        {...form.field('to')}
        value={chooseTarget(from, form.values.to)?.id ?? ''}
        data={listTransferTargets(team, from).map(({ id, label }) => ({ value: id, label }))}
      />
      <TextInput
        label="Amount"
        description="In US dollars. It becomes a separate pool there. You can move back what is not used."
        placeholder="25.00"
        leftSection="$"
        required
        inputMode="decimal"
        autoComplete="off"
        {...form.field('usd')}
      />
      <TextInput label="Name of the new pool" autoComplete="off" {...form.field('name')} />
    </FormDialog>
  );
}
