import { Badge } from '@mantine/core';
import type { KeyEntry } from '../../../../wire/keys.ts';
import { formatDate, formatDateTime } from '../../format/format-time.ts';
import { useNow } from '../../format/use-now.ts';

/** Shows whether a key works. */
export function KeyStatus({ apiKey }: { apiKey: KeyEntry }) {
  const nowMs = useNow(60_000);
  const { expiresAtMs, isSuspended, kind, revokedAtMs } = apiKey;
  if (isSuspended === true) {
    return (
      <Badge
        color="orange"
        title="The account that pays for this key is suspended. The key works again when the account is resumed."
      >
        Suspended
      </Badge>
    );
  }
  if (revokedAtMs !== null) {
    return (
      <Badge color="gray" title={`Revoked ${formatDateTime(revokedAtMs)}`}>
        Revoked
      </Badge>
    );
  }
  if (expiresAtMs !== undefined) {
    return expiresAtMs <= nowMs ? (
      <Badge color="gray" title={`Expired ${formatDateTime(expiresAtMs)}`}>
        Expired
      </Badge>
    ) : (
      <Badge color="green" title={`Expires ${formatDateTime(expiresAtMs)}`}>
        Until {formatDate(expiresAtMs)}
      </Badge>
    );
  }
  return kind === 'demo' ? (
    <Badge color="orange" title="Belongs to made-up usage and does not work.">
      Demo data
    </Badge>
  ) : (
    <Badge color="green">Active</Badge>
  );
}
