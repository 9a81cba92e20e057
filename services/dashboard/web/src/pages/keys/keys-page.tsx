import { Button, Stack } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { KeyEntry, RevokeKeyResponse } from '../../../../wire/keys.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useMay } from '../../session/use-may.ts';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { KeyListSection } from './key-list-section.tsx';
import { RevokeKeyDialog } from './revoke-key-dialog.tsx';
import { RevokedNotice } from './revoked-notice.tsx';
import { useKeys } from './use-keys.ts';

interface Revoked {
  name: string;
  response: RevokeKeyResponse;
}

export function KeysPage() {
  const keys = useKeys();
  const [isCreating, setCreating] = useState(false);
  const [toRevoke, setToRevoke] = useState<KeyEntry | null>(null);
  const [revoked, setRevoked] = useState<Revoked | null>(null);
  const mayCreate = useMay('developer');
  const createButton = mayCreate && (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
      Create key
    </Button>
  );
  return (
    <>
      <PageHeader
        title="API keys"
        description={
          'A key lets a program call models for you. Give each program its own, so that you can revoke ' +
          'one without touching the others.'
        }
        actions={keys.data !== undefined && keys.data.keys.length > 0 ? createButton : undefined}
      />
      <Stack gap="lg">
        {revoked !== null && <RevokedNotice key={revoked.response.keyId} {...revoked} />}
        <QueryState query={keys} loading="Loading your keys" />
        {keys.data?.keys.length === 0 && (
          <EmptyState
            icon={<IconKey size={28} />}
            title={mayCreate ? 'Create your first key' : 'No keys yet'}
            action={createButton}
          >
            {mayCreate
              ? 'It takes a name and a click. You get the key with ready-made code that calls a model with it.'
              : 'As a viewer, you see the keys of the account, but create none.'}
          </EmptyState>
        )}
        {keys.data !== undefined && keys.data.keys.length > 0 && (
          <KeyListSection keys={keys.data.keys} onRevoke={setToRevoke} />
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
        onRevoked={({ name }, response) => setRevoked({ name, response })}
      />
    </>
  );
}
