import { Button, Code, Group, Stack } from '@mantine/core';
import { IconKeyOff } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import type { KeyEntry, RevokeKeyResponse, SetKeyCacheRequest } from '../../../../wire/keys.ts';
import { postJson } from '../../api/client.ts';
import { BackLink } from '../../components/back-link.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { KeyCacheDialog } from '../../components/key-cache.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useMay } from '../../session/use-may.ts';
import { RulesPanels } from '../rules/rules-panels.tsx';
import { KeyFactsPanel } from './key-facts-panel.tsx';
import { KeyStatus } from './key-status.tsx';
import { RevokeKeyDialog } from './revoke-key-dialog.tsx';
import { RevokedNotice } from './revoked-notice.tsx';
import { keysKey, useKeys } from './use-keys.ts';

/** Shows one key: its rules, the level that decided each of them, and what the key has used. */
export function KeyPage() {
  const { keyId } = useParams();
  const keys = useKeys();
  const apiKey = keys.data?.keys.find(({ id }) => id === keyId);
  return (
    <>
      <BackLink to="/dashboard/api-keys">All keys</BackLink>
      <QueryState query={keys} loading="Loading the key" />
      {apiKey !== undefined && <KeyDetails apiKey={apiKey} />}
      {keys.data !== undefined && apiKey === undefined && (
        <>
          <PageHeader title="Key" />
          <EmptyState
            icon={<IconKeyOff size={28} />}
            title="You have no such key"
            action={
              <Button component={Link} to="/dashboard/api-keys">
                Your keys
              </Button>
            }
          >
            The address may be wrong, or the key belongs to another account.
          </EmptyState>
        </>
      )}
    </>
  );
}

function KeyDetails({ apiKey }: { apiKey: KeyEntry }) {
  const [toRevoke, setToRevoke] = useState<KeyEntry | null>(null);
  const [revoked, setRevoked] = useState<RevokeKeyResponse | null>(null);
  const queryClient = useQueryClient();
  const [setsCache, setSetsCache] = useState(false);
  const { cache, id, name, displayPrefix, kind, revokedAtMs } = apiKey;
  const works = revokedAtMs === null && kind !== 'demo';
  const mayChange = useMay('developer');
  const saveCache = async (next: string | null) => {
    const request: SetKeyCacheRequest = { cache: next };
    await postJson(`/api/keys/${encodeURIComponent(id)}/cache`, request);
    await queryClient.invalidateQueries({ queryKey: keysKey });
  };
  return (
    <>
      <PageHeader
        title={name}
        description={
          <Group gap="xs" component="span">
            <Code>{displayPrefix}…</Code>
            <KeyStatus apiKey={apiKey} />
          </Group>
        }
        actions={
          works &&
          mayChange && (
            <>
              <Button variant="default" onClick={() => setSetsCache(true)}>
                Change cache
              </Button>
              <Button variant="default" color="red" onClick={() => setToRevoke(apiKey)}>
                Revoke key
              </Button>
            </>
          )
        }
      />
      <Stack gap="lg">
        {revoked !== null && <RevokedNotice name={name} response={revoked} />}
        <RulesPanels
          owner={{ kind: 'key', id }}
          editTitle={works ? `Rules of ${name}` : undefined}
          noBudgets="This key has no budget: it can spend all that its pools have."
        />
        <KeyFactsPanel apiKey={apiKey} />
      </Stack>
      {setsCache && (
        <KeyCacheDialog name={name} cache={cache} save={saveCache} onClose={() => setSetsCache(false)} />
      )}
      <RevokeKeyDialog
        apiKey={toRevoke}
        onClose={() => setToRevoke(null)}
        onRevoked={(_key, response) => setRevoked(response)}
      />
    </>
  );
}
