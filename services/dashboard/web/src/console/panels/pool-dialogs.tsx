import { NativeSelect, TextInput } from '@mantine/core';
import type { Pool } from '../../../../wire/management.ts';
import { changeManagement, readManagement } from '../../api/management.ts';
import { refreshManagement } from '../../api/use-management.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { useForm } from '../../components/use-form.ts';
import { usdProblem } from '../../pages/rules/rules-draft.ts';

/** Owner of pools, as the management API names it. */
export type PoolOwner = { account_id: string } | { team_id: string } | { seat_id: string };

interface GiveCreditDialogProps {
  owner: PoolOwner;
  onClose: () => void;
  onDone: (text: string) => void;
}

/** Adds a pool: money once or every month, or no limit. */
export function GiveCreditDialog({ owner, onClose, onDone }: GiveCreditDialogProps) {
  const form = useForm({
    fields: { kind: 'never', usd: '', name: '', expires: '' },
    check: ({ kind, usd }) => ({ usd: kind === 'unlimited' ? undefined : usdProblem(usd) }),
    send: async ({ expires, kind, name, usd }) => {
      const resets = kind === 'monthly' ? ('monthly' as const) : ('never' as const);
      const body = {
        ...owner,
        ...(kind === 'unlimited' ? { unlimited: true } : { usd: usd.trim(), resets }),
        ...(name.trim() !== '' && { name: name.trim() }),
        ...(expires !== '' && { expires_at: new Date(expires).toISOString() }),
      };
      const { body: pool } = await changeManagement('createPool', { body });
      await refreshManagement();
      onDone(`“${pool.name}” is added. It pays from now on.`);
    },
  });
  return (
    <FormDialog opened title="Give credit" submitLabel="Give credit" form={form} onClose={onClose}>
      <TextInput
        label="Amount (USD)"
        placeholder="25"
        inputMode="decimal"
        autoComplete="off"
        data-autofocus
        disabled={form.values.kind === 'unlimited'}
        {...form.field('usd')}
      />
      <NativeSelect
        label="When"
        data={[
          { value: 'never', label: 'Once' },
          { value: 'monthly', label: 'Every month (UTC); what is left over expires' },
          { value: 'unlimited', label: 'Without a limit: usage is only counted' },
        ]}
        {...form.field('kind')}
      />
      <TextInput
        label="Expires"
        description="In your time zone. Empty: never."
        type="datetime-local"
        {...form.field('expires')}
      />
      <TextInput
        label="Name"
        description="Empty: its amount and period."
        autoComplete="off"
        {...form.field('name')}
      />
    </FormDialog>
  );
}

interface ChangePoolDialogProps extends Omit<GiveCreditDialogProps, 'owner'> {
  pool: Pool;
}

/** Changes the amount and name of a pool. */
export function ChangePoolDialog({ pool, onClose, onDone }: ChangePoolDialogProps) {
  const form = useForm({
    fields: { kind: pool.unlimited ? 'unlimited' : 'amount', usd: pool.usd ?? '', name: pool.name },
    check: ({ kind, name, usd }) => ({
      usd: kind === 'unlimited' ? undefined : usdProblem(usd),
      name: name.trim() === '' ? 'Enter a name.' : undefined,
    }),
    send: async ({ kind, name, usd }) => {
      const { etag } = await readManagement('getPool', { path: { id: pool.id } });
      const amount = kind === 'unlimited' ? { unlimited: true } : { usd: usd.trim(), unlimited: false };
      const request = { path: { id: pool.id }, body: { ...amount, name: name.trim() } };
      await changeManagement('changePool', request, { etag });
      await refreshManagement();
      onDone(`“${name.trim()}” is changed.`);
    },
  });
  return (
    <FormDialog opened title={`Change ${pool.name}`} submitLabel="Save" form={form} onClose={onClose}>
      <NativeSelect
        label="Limit"
        data={[
          { value: 'amount', label: 'An amount' },
          { value: 'unlimited', label: 'None: usage is only counted' },
        ]}
        {...form.field('kind')}
      />
      <TextInput
        label="Amount (USD)"
        description="With what is used. It cannot be less than what is used and reserved."
        inputMode="decimal"
        autoComplete="off"
        disabled={form.values.kind === 'unlimited'}
        {...form.field('usd')}
      />
      <TextInput label="Name" autoComplete="off" {...form.field('name')} />
    </FormDialog>
  );
}
