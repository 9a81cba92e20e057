import { Button, Code, Group, SimpleGrid, Stack } from '@mantine/core';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import type { Key } from '../../../../wire/management.ts';
import { changeManagement, type Managed } from '../../api/management.ts';
import { useAction } from '../../api/use-action.ts';
import { refreshManagement, useManagement } from '../../api/use-management.ts';
import { AccountLink } from '../../components/account-link.tsx';
import { BackLink } from '../../components/back-link.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Fact } from '../../components/fact.tsx';
import { ResultAlert } from '../../components/focused-alert.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { cacheText, KeyCacheDialog } from '../../components/key-cache.tsx';
import { Moment } from '../../components/moment.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { TagList } from '../../components/tag-list.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { consolePaths } from '../../console-paths.ts';
import { useMayChange } from '../../session/use-may-change.ts';
import { AuditPanel } from '../panels/audit-panel.tsx';
import { KeyState } from '../panels/keys-panel.tsx';
import { ManagedRules } from '../panels/managed-rules.tsx';
import { RequestsPanel } from '../panels/requests-panel.tsx';
import { UsagePanel } from '../panels/usage-panel.tsx';
import { RenameKeyDialog, RotateKeyDialog } from './key-dialogs.tsx';

/** Shows everything about one key. */
export function KeyPage() {
  const { keyId = '' } = useParams();
  const key = useManagement('getKey', { path: { id: keyId } });
  const accountId = key.data?.body.account_id;
  return (
    <>
      <BackLink to={accountId === undefined ? '/operate/accounts' : consolePaths.account(accountId)}>
        {accountId === undefined ? 'Accounts' : 'Account'}
      </BackLink>
      {key.data === undefined && <PageHeader title="Key" />}
      <QueryState query={key} loading="Reading the key" />
      {key.data !== undefined && <KeyDetails key={keyId} managed={key.data} />}
    </>
  );
}

function KeyDetails({ managed }: { managed: Managed<'getKey'> }) {
  const key = managed.body;
  const { account_id, id, name, prefix, status } = key;
  const mayChange = useMayChange() && status !== 'revoked';
  const navigate = useNavigate();
  const [open, setOpen] = useState<'rename' | 'rotate' | 'cache'>();
  const [toRevoke, setToRevoke] = useState<Key | null>(null);
  const [rotated, setRotated] = useState<{ id: string; key: string }>();
  const [isRevoked, setRevoked] = useState<boolean>();
  const revoke = useAction(async (_key: Key) => {
    const { isConfirmed } = await changeManagement('revokeKey', { path: { id } });
    await refreshManagement();
    setToRevoke(null);
    setRevoked(isConfirmed);
  });
  return (
    <>
      <PageHeader
        title={name}
        description={
          <Group gap="xs" component="span">
            <Code>{prefix}…</Code>
            <KeyState {...key} />
          </Group>
        }
        actions={
          mayChange && (
            <>
              <Button variant="default" onClick={() => setOpen('rename')}>
                Rename
              </Button>
              <Button variant="default" onClick={() => setOpen('cache')}>
                Change cache
              </Button>
              <Button variant="default" onClick={() => setOpen('rotate')}>
                Replace
              </Button>
              <Button variant="default" color="red" onClick={() => setToRevoke(key)}>
                Revoke
              </Button>
            </>
          )
        }
      />
      <Stack gap="lg">
        {isRevoked !== undefined && (
          <ResultAlert isCertain={isRevoked}>
            {isRevoked
              ? 'The key is revoked. Every request with it is refused.'
              : 'The key is revoked, but some data planes have not confirmed it. They refuse it once they reach a control plane.'}
          </ResultAlert>
        )}
        <KeyFacts apiKey={key} />
        <ManagedRules
          owner={{ kind: 'key', id }}
          editTitle={`Rules of ${name}`}
          noBudgets="This key has no budget: it can spend all that its pools have."
        />
        <UsagePanel owner={{ account_id, keys: [id] }} />
        <RequestsPanel owner={{ key_id: id }} href={consolePaths.requests({ key_id: id })} />
        <AuditPanel query={{ object_id: id }} />
      </Stack>
      {open === 'rename' && <RenameKeyDialog managed={managed} onClose={() => setOpen(undefined)} />}
      {open === 'cache' && (
        <KeyCacheDialog
          name={name}
          cache={key.cache}
          save={async (cache) => {
            await changeManagement('changeKey', { path: { id }, body: { cache } }, managed);
            await refreshManagement();
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open === 'rotate' && (
        <RotateKeyDialog
          id={id}
          onClose={() => setOpen(undefined)}
          onRotated={(made) => {
            setOpen(undefined);
            setRotated(made);
          }}
        />
      )}
      {rotated !== undefined && (
        <SecretDialog
          title="New key"
          advice="Send it to the holder of the account over a secure channel."
          secret={rotated.key}
          onClose={() => void navigate(consolePaths.key(rotated.id))}
        />
      )}
      <ConfirmDialog
        subject={toRevoke}
        title="Revoke this key?"
        confirmLabel="Revoke key"
        action={revoke}
        onClose={() => setToRevoke(null)}
      >
        {(shown) => `Requests with “${shown.name}” are refused at once. This is final.`}
      </ConfirmDialog>
    </>
  );
}

function KeyFacts({ apiKey }: { apiKey: Key }) {
  const { account_id, cache, created_at, expires_at, external_id, id, seat_id, tags } = apiKey;
  const last = useManagement('listReceipts', { query: { key_id: id, limit: 1 } }).data?.body.data;
  return (
    <Panel title="About this key">
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="md">
        <Fact label="Account">
          <AccountLink id={account_id} />
        </Fact>
        <Fact label="Paid by">
          {seat_id === null ? (
            'The account'
          ) : (
            <TextLink to={consolePaths.seat(seat_id)}>A seat of a team</TextLink>
          )}
        </Fact>
        <Fact label="Id">
          <Identifier id={id} withCopy />
        </Fact>
        <Fact label="External id">{external_id ?? 'None'}</Fact>
        <Fact label="Created">
          <Moment ms={Date.parse(created_at)} />
        </Fact>
        <Fact label="Works until">
          {expires_at === null ? 'No expiry' : <Moment ms={Date.parse(expires_at)} />}
        </Fact>
        <Fact label="Last used">
          {last === undefined ? (
            '…'
          ) : last[0] === undefined ? (
            'Not yet'
          ) : (
            <Moment ms={Date.parse(last[0].ended_at)} />
          )}
        </Fact>
        <Fact label="Tags of its requests">
          {Object.keys(tags).length === 0 ? 'None' : <TagList tags={tags} />}
        </Fact>
        <Fact label="Cache">{cacheText(cache)}</Fact>
      </SimpleGrid>
    </Panel>
  );
}
