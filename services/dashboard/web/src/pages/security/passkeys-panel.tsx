import { Button, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { AddPasskeyRequest, SecurityResponse } from '../../../../wire/security.ts';
import { postJson } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ACTIONS, type Column, EntryTable } from '../../components/entry-table.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Hint } from '../../components/hint.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { RemovalButton } from '../../components/removal-button.tsx';
import { useForm } from '../../components/use-form.ts';
import { describeBrowser } from '../../format/describe-browser.ts';
import { createPasskey, passkeysWork } from '../../session/passkey.ts';
import { useSecurityRefetch } from './use-security.ts';

type Passkey = SecurityResponse['passkeys'][number];

const PATH = '/api/security/passkeys';
const MAX_LENGTH = 60;

/** Lists the user's passkeys, with buttons to add and remove them. */
export function PasskeysPanel({ passkeys }: { passkeys: readonly Passkey[] }) {
  const [isAdding, setAdding] = useState(false);
  const [toRemove, setToRemove] = useState<Passkey | null>(null);
  const remove = useAction(
    useSecurityRefetch(async ({ id }: Passkey) => {
      await postJson<undefined>(`${PATH}/${encodeURIComponent(id)}/remove`);
      setToRemove(null);
    }),
  );
  const actions: Column<Passkey> = {
    ...ACTIONS,
    cell: (passkey) => (
      <RemovalButton label={`Remove ${passkey.name}`} onClick={() => setToRemove(passkey)}>
        Remove
      </RemovalButton>
    ),
  };
  return (
    <Panel
      title="Passkeys"
      description="A passkey signs you in by fingerprint, face or PIN of your device, without a password."
      actions={
        passkeysWork() && (
          <Button variant="default" size="xs" onClick={() => setAdding(true)}>
            Add passkey
          </Button>
        )
      }
    >
      {passkeys.length > 0 && (
        <EntryTable
          caption="Your passkeys"
          entries={passkeys}
          idOf={({ id }) => id}
          columns={[...columns, actions]}
        />
      )}
      {!passkeysWork() ? (
        <Hint>
          Passkeys need a current browser, and a page with a domain name and https, or <b>localhost</b>.
        </Hint>
      ) : (
        passkeys.length === 0 && <Hint>You have none yet.</Hint>
      )}
      <AddPasskeyDialog opened={isAdding} onClose={() => setAdding(false)} />
      <ConfirmDialog
        subject={toRemove}
        title="Remove this passkey?"
        confirmLabel="Remove passkey"
        action={remove}
        onClose={() => setToRemove(null)}
      >
        {({ name }) => (
          <Text className="break-anywhere">
            <strong>{name}</strong> no longer signs you in. The device may still offer it: remove it there as
            well.
          </Text>
        )}
      </ConfirmDialog>
    </Panel>
  );
}

function AddPasskeyDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const form = useForm({
    fields: { name: describeBrowser(navigator.userAgent) },
    check: ({ name }) => ({ name: problemOf(name) }),
    send: useSecurityRefetch(async ({ name }) => {
      const options = await postJson<PublicKeyCredentialCreationOptionsJSON>(`${PATH}/options`);
      const request: AddPasskeyRequest = { name, response: await createPasskey(options) };
      await postJson<undefined>(PATH, request);
      onClose();
    }),
  });
  return (
    <FormDialog opened={opened} title="Add a passkey" submitLabel="Continue" form={form} onClose={onClose}>
      <TextInput
        label="Name"
        description="Tells your passkeys apart, such as the name of the device. Your browser then creates the passkey."
        required
        autoComplete="off"
        data-autofocus
        {...form.field('name')}
      />
    </FormDialog>
  );
}

function problemOf(name: string): string | undefined {
  const { length } = name.trim();
  if (length === 0) return 'Enter a name.';
  return length > MAX_LENGTH ? `Choose a name of at most ${MAX_LENGTH} characters.` : undefined;
}

const columns: [Column<Passkey>, ...Column<Passkey>[]] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name }) => (
      <Text span size="sm" fw={600} className="cell-name">
        {name}
      </Text>
    ),
  },
  { id: 'created', header: 'Added', cell: ({ createdAtMs }) => <Moment ms={createdAtMs} /> },
  {
    id: 'used',
    header: 'Last used',
    cell: ({ usedAtMs }) => (usedAtMs === null ? 'Not yet' : <Moment ms={usedAtMs} />),
  },
];
