import { Badge, Button, Code } from '@mantine/core';
import type { KeyEntry } from '../../../../wire/keys.ts';
import { Moment } from '../../components/moment.tsx';
import { formatDate, formatDateTime } from '../../format/format-time.ts';
import { useNow } from '../../format/use-now.ts';

export function KeyPrefix({ apiKey }: { apiKey: KeyEntry }) {
  return (
    <Code fz="sm" className="no-wrap">
      {apiKey.displayPrefix}…
    </Code>
  );
}

export function KeyStatus({ apiKey }: { apiKey: KeyEntry }) {
  if (apiKey.isSuspended === true) {
    return (
      <Badge
        color="orange"
        title="The account that pays for this key is suspended. The key works again when the account is resumed."
      >
        Suspended
      </Badge>
    );
  }
  if (apiKey.revokedAtMs !== null) {
    return (
      <Badge color="gray" title={`Revoked ${formatDateTime(apiKey.revokedAtMs)}`}>
        Revoked
      </Badge>
    );
  }
  if (apiKey.expiresAtMs !== undefined) {
    return <ExpiringKeyStatus expiresAtMs={apiKey.expiresAtMs} />;
  }
  return apiKey.kind === 'demo' ? (
    <Badge color="orange" title="Belongs to made-up usage and does not work.">
      Demo data
    </Badge>
  ) : (
    <Badge color="green">Active</Badge>
  );
}

function ExpiringKeyStatus({ expiresAtMs }: { expiresAtMs: number }) {
  const now = useNow(60_000);
  return expiresAtMs <= now ? (
    <Badge color="gray" title={`Expired ${formatDateTime(expiresAtMs)}`}>
      Expired
    </Badge>
  ) : (
    <Badge color="green" title={`Expires ${formatDateTime(expiresAtMs)}`}>
      Until {formatDate(expiresAtMs)}
    </Badge>
  );
}

export function KeyPayer({ apiKey }: { apiKey: KeyEntry }) {
  return apiKey.seat === null ? 'You' : apiKey.seat.teamName;
}

export function KeyLastUse({ apiKey }: { apiKey: KeyEntry }) {
  return apiKey.lastUsedAtMs === null ? 'Not yet' : <Moment ms={apiKey.lastUsedAtMs} />;
}

/** Shows nothing if the key cannot be revoked. */
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
