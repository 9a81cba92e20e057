import { Badge, Button, Code } from '@mantine/core';
import type { KeyEntry } from '../../../../wire/keys.ts';
import { Moment } from '../../components/moment.tsx';
import { formatDateTime } from '../../format/format-time.ts';

/** What the table and the cards say in the same way. */

export function KeyPrefix({ apiKey }: { apiKey: KeyEntry }) {
  return (
    <Code fz="sm" className="no-wrap">
      {apiKey.displayPrefix}…
    </Code>
  );
}

export function KeyStatus({ apiKey }: { apiKey: KeyEntry }) {
  if (apiKey.revokedAtMs !== null) {
    return (
      <Badge color="gray" title={`Revoked ${formatDateTime(apiKey.revokedAtMs)}`}>
        Revoked
      </Badge>
    );
  }
  return apiKey.kind === 'demo' ? (
    <Badge
      color="orange"
      title="Stands for made-up usage. Nobody has this key, and nothing can be called with it."
    >
      Demo data
    </Badge>
  ) : (
    <Badge color="green">Active</Badge>
  );
}

export function KeyPayer({ apiKey }: { apiKey: KeyEntry }) {
  return apiKey.seat === null ? 'You' : apiKey.seat.teamName;
}

export function KeyLastUse({ apiKey }: { apiKey: KeyEntry }) {
  return apiKey.lastUsedAtMs === null ? 'Not yet' : <Moment ms={apiKey.lastUsedAtMs} />;
}

/** Nothing where there is nothing to revoke. */
export function RevokeButton({ apiKey, onRevoke }: { apiKey: KeyEntry; onRevoke: (key: KeyEntry) => void }) {
  if (apiKey.revokedAtMs !== null || apiKey.kind === 'demo') {
    return null;
  }
  return (
    <Button
      size="xs"
      variant="subtle"
      color="red"
      aria-label={`Revoke ${apiKey.name}`}
      onClick={() => onRevoke(apiKey)}
    >
      Revoke
    </Button>
  );
}
