import { Badge, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { changeManagement } from '../../api/management.ts';
import { useAction } from '../../api/use-action.ts';
import { refreshManagement } from '../../api/use-management.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ACTIONS, type Column, EntryTable } from '../../components/entry-table.tsx';
import { Hint } from '../../components/hint.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { RemovalButton } from '../../components/removal-button.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { consolePaths } from '../../console-paths.ts';
import { useMayChange } from '../../session/use-may-change.ts';
import { CREDENTIAL_STATES, type Credential, describeSetting, missingOn } from './credential-words.ts';
import { RefusalText } from './refusal-text.tsx';
import { SetCredentialDialog } from './set-credential-dialog.tsx';

interface CredentialsPanelProps {
  credentials: readonly Credential[];
  /** True to let the user store one that is not listed. */
  mayAdd?: boolean;
}

/** Shows credentials by name and state, and lets operators set and remove stored ones. */
export function CredentialsPanel({ credentials, mayAdd = false }: CredentialsPanelProps) {
  const mayChange = useMayChange();
  const [toSet, setToSet] = useState<string | null>(null);
  const [toRemove, setToRemove] = useState<Credential | null>(null);
  const remove = useAction(async ({ name }: Credential) => {
    await changeManagement('removeCredential', { path: { name } });
    setToRemove(null);
    await refreshManagement();
  });
  const actions: Column<Credential> = {
    ...ACTIONS,
    cell: (credential) => (
      <Group gap={4} justify="flex-end" wrap="nowrap">
        <Button
          size="xs"
          variant="default"
          aria-label={`Set ${credential.name}`}
          onClick={() => setToSet(credential.name)}
        >
          Set
        </Button>
        {credential.stored && (
          <RemovalButton label={`Remove ${credential.name}`} onClick={() => setToRemove(credential)}>
            Remove
          </RemovalButton>
        )}
      </Group>
    ),
  };
  return (
    <Panel
      title="Credentials"
      description="Refused ones are listed first. Values are never shown."
      actions={
        mayChange &&
        mayAdd && (
          <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setToSet('')}>
            Store a credential
          </Button>
        )
      }
    >
      {credentials.length === 0 ? (
        <Hint>No provider here needs a credential.</Hint>
      ) : (
        <EntryTable
          caption="Credentials"
          entries={[...credentials].sort(byState)}
          idOf={({ name }) => name}
          columns={mayChange ? [...columns, actions] : columns}
          cardsBelow="62em"
        />
      )}
      <SetCredentialDialog key={toSet} name={toSet} onClose={() => setToSet(null)} />
      <ConfirmDialog
        subject={toRemove}
        title="Remove this stored credential?"
        confirmLabel="Remove credential"
        action={remove}
        onClose={() => setToRemove(null)}
      >
        {({ name }) => (
          <Text className="break-anywhere">
            Data planes stop using the stored value of <strong>{name}</strong> within seconds. A variable of
            this name counts again.
          </Text>
        )}
      </ConfirmDialog>
    </Panel>
  );
}

const ORDER: readonly Credential['state'][] = ['refused', 'unreadable', 'missing', 'unknown', 'set'];

function byState(one: Credential, other: Credential): number {
  return ORDER.indexOf(one.state) - ORDER.indexOf(other.state);
}

const columns: [Column<Credential>, ...Column<Credential>[]] = [
  { id: 'name', header: 'Name', cell: ({ name }) => <Code className="cell-name">{name}</Code> },
  {
    id: 'state',
    header: 'State',
    cell: ({ state }) => (
      <Badge color={CREDENTIAL_STATES[state].color} variant="light">
        {CREDENTIAL_STATES[state].name}
      </Badge>
    ),
  },
  { id: 'details', header: 'Details', cell: (credential) => <Details credential={credential} /> },
  {
    id: 'last-four',
    header: 'Ends with',
    cell: ({ last_four }) => (last_four === null ? '–' : <Code>…{last_four}</Code>),
    isEmpty: ({ last_four }) => last_four === null,
  },
  {
    id: 'providers',
    header: 'Used by',
    cell: ({ providers }) =>
      providers.length === 0
        ? 'No provider'
        : providers.map((id, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <TextLink to={consolePaths.provider(id)}>{id}</TextLink>
            </span>
          )),
  },
];

function Details({ credential }: { credential: Credential }) {
  const missing = missingOn(credential);
  return (
    <Stack gap={2}>
      <Text size="sm">
        {describeSetting(credential)}
        {credential.set_at !== null && (
          <>
            , set <Moment ms={Date.parse(credential.set_at)} />
          </>
        )}
      </Text>
      {missing.length > 0 && !credential.stored && (
        <Text size="xs" className="break-anywhere">
          Missing on {missing.join(', ')}
        </Text>
      )}
      {credential.state === 'unreadable' && (
        <Text size="xs">It was stored under another API_KEY_LOOKUP_PEPPER. Set it again.</Text>
      )}
      {credential.refusals.map((refusal) => (
        <RefusalText key={refusal.provider} provider={refusal.provider} refusal={refusal} />
      ))}
    </Stack>
  );
}
