import { Alert, Button, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconInfoCircle, IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { KeyEntry, KeysAnswer, RevokeKeyAnswer } from '../../../../wire/keys.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PageLoading } from '../../components/page-loading.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { KeyCards } from './key-cards.tsx';
import { filterKeys, type KeyFilter } from './key-list.ts';
import { KeyTable } from './key-table.tsx';
import { RevokeKeyDialog } from './revoke-key-dialog.tsx';
import { RevokedNotice } from './revoked-notice.tsx';
import { useKeys } from './use-keys.ts';

interface Revoked {
  name: string;
  answer: RevokeKeyAnswer;
}

export function KeysPage() {
  const keys = useKeys();
  const error = useLastError(keys);
  const [isCreating, setCreating] = useState(false);
  const [toRevoke, setToRevoke] = useState<KeyEntry | null>(null);
  const [revoked, setRevoked] = useState<Revoked | null>(null);
  const createButton = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
      Create key
    </Button>
  );
  return (
    <>
      <PageHeader
        title="API keys"
        description="A key lets a program call models for you. Give each program its own, so that you can revoke one without touching the others."
        actions={keys.data !== undefined && keys.data.keys.length > 0 ? createButton : undefined}
      />
      <Stack gap="lg">
        {revoked !== null && <RevokedNotice key={revoked.answer.keyId} {...revoked} />}
        {error !== null && <ErrorNotice error={error} onRetry={() => void keys.refetch()} />}
        {keys.data === undefined && error === null && <PageLoading label="Loading your keys" />}
        {keys.data !== undefined && (
          <KeyList answer={keys.data} createButton={createButton} onRevoke={setToRevoke} />
        )}
      </Stack>
      <CreateKeyDialog
        opened={isCreating}
        seats={keys.data?.seats ?? []}
        onClose={() => setCreating(false)}
      />
      <RevokeKeyDialog
        apiKey={toRevoke}
        onClose={() => setToRevoke(null)}
        onRevoked={(key, answer) => setRevoked({ name: key.name, answer })}
      />
    </>
  );
}

interface KeyListProps {
  answer: KeysAnswer;
  createButton: React.ReactNode;
  onRevoke: (key: KeyEntry) => void;
}

/** From so many keys on, one wants to look at the active ones alone. */
const many = 8;

function KeyList({ answer, createButton, onRevoke }: KeyListProps) {
  const [filter, setFilter] = useState<KeyFilter>('all');
  const isNarrow = useMediaQuery('(max-width: 74em)', undefined, { getInitialValueInEffect: false });
  const { keys } = answer;
  if (keys.length === 0) {
    return (
      <EmptyState icon={<IconKey size={28} />} title="Create your first key" action={createButton}>
        It takes a name and a click. You get the key with ready-made code that calls a model with it.
      </EmptyState>
    );
  }
  const shown = filterKeys(keys, keys.length > many ? filter : 'all');
  return (
    <>
      {keys.every(({ kind }) => kind === 'demo') && (
        <Alert icon={<IconInfoCircle aria-hidden />} radius="md" role="note">
          These keys are demo data: they stand for made-up usage, and nothing can be called with them. Create
          a key of your own to begin.
        </Alert>
      )}
      {keys.length > many && (
        <SegmentedControl<KeyFilter>
          aria-label="Which keys"
          value={filter}
          onChange={setFilter}
          data={[
            { value: 'all', label: 'All' },
            { value: 'active', label: 'Active' },
            { value: 'revoked', label: 'Revoked' },
          ]}
          style={{ alignSelf: 'flex-start' }}
        />
      )}
      {shown.length === 0 && <Text c="dimmed">None of your keys is {filter}.</Text>}
      {shown.length > 0 &&
        (isNarrow ? (
          <KeyCards keys={shown} onRevoke={onRevoke} />
        ) : (
          <KeyTable keys={shown} onRevoke={onRevoke} />
        ))}
    </>
  );
}
