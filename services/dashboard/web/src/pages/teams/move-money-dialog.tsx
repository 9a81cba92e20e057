import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { MoveMoneyRequest, Team } from '../../../../wire/teams.ts';
import type { Pool } from '../../../../wire/usage.ts';
import { postJson } from '../../api/client.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { nameProblem } from '../../components/name-problem.ts';
import { formatUsd } from '../../format/format-usd.ts';
import { isFine } from '../sign-in/credential-problems.ts';
import { amountProblem } from './amount-problem.ts';
import { poolOwnerLabel } from './pool-owner-label.ts';
import { listTransferTargets } from './transfer-targets.ts';
import { useTeamChange } from './use-team-change.ts';

interface MoveMoneyDialogProps {
  team: Team;
  sources: readonly Pool[];
  opened: boolean;
  onClose: () => void;
}

/** Moves a part of a pool to the account, the team or one of its seats. */
export function MoveMoneyDialog({ team, sources, opened, onClose }: MoveMoneyDialogProps) {
  const [fromPoolId, setFromPoolId] = useState('');
  const [targetId, setTargetId] = useState('');
  const [amount, setAmount] = useState('');
  const [name, setName] = useState('Budget');
  const [problems, setProblems] = useState<{ amount?: string | undefined; name?: string | undefined }>({});
  const from = sources.find(({ id }) => id === fromPoolId) ?? sources[0];
  const targets = listTransferTargets(team, from);
  const target = targets.find(({ id }) => id === targetId) ?? targets[0];
  const move = useTeamChange(async (request: MoveMoneyRequest) => {
    await postJson<undefined>('/api/money/move', request);
    setAmount('');
    onClose();
  });

  function submit(): void {
    if (from === undefined || target === undefined) {
      return;
    }
    const found = { amount: amountProblem(amount, from.remainingUsd), name: nameProblem(name) };
    setProblems(found);
    if (isFine(found)) {
      move.run({
        fromPoolId: from.id,
        usd: amount.trim(),
        name: name.trim(),
        ...(target.to && { to: target.to }),
      });
    }
  }

  return (
    <FormDialog
      opened={opened}
      title="Move money"
      submitLabel="Move"
      action={move}
      problems={problems}
      onSubmit={submit}
      onClose={() => {
        setProblems({});
        onClose();
      }}
    >
      <NativeSelect
        label="From"
        name="fromPoolId"
        value={from?.id ?? ''}
        onChange={(event) => setFromPoolId(event.currentTarget.value)}
        data={sources.map((pool) => ({
          value: pool.id,
          label: `${poolOwnerLabel(pool, team)}: ${pool.name} (${formatUsd(pool.remainingUsd)} can be moved)`,
        }))}
      />
      <NativeSelect
        label="To"
        name="to"
        value={target?.id ?? ''}
        onChange={(event) => setTargetId(event.currentTarget.value)}
        data={targets.map(({ id, label }) => ({ value: id, label }))}
      />
      <TextInput
        label="Amount"
        name="usd"
        description={'In US dollars. It becomes a separate pool there. You can move back what is not used.'}
        placeholder="25.00"
        leftSection="$"
        required
        inputMode="decimal"
        autoComplete="off"
        value={amount}
        onChange={(event) => setAmount(event.currentTarget.value)}
        error={problems.amount}
      />
      <TextInput
        label="Name of the new pool"
        name="name"
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={problems.name}
      />
    </FormDialog>
  );
}
