import type { Scope } from '@model-gateway/shared/access';
import { z } from 'zod';
import { verifyAuditLog } from '../../audit/verify-audit-log.ts';
import type { ControlPlaneContext } from '../../context.ts';
import { verifyLedger } from '../../pools/verify-ledger.ts';
import {
  verificationResource,
  verificationResourceSchema,
} from '../../verifications/verification-resource.ts';
import type { VerificationKind } from '../../verifications/verification-store.ts';
import type { Verify } from '../../verifications/verifications.ts';
import { listResponse, pageWith } from '../list-response.ts';
import { route } from '../route.ts';

const verification = verificationResourceSchema.meta({ id: 'Verification' });
const verificationList = listResponse(verification, 'VerificationList');

interface Verified {
  kind: VerificationKind;
  tag: string;
  /** In operation ids. */
  name: string;
  /** In summaries. */
  subject: string;
  scope: Scope;
  verify(context: ControlPlaneContext, signal: AbortSignal): ReturnType<Verify>;
}

function verificationRoutes({ kind, name, scope, subject, tag, verify }: Verified) {
  const common = { tag, path: `/admin/v1/${kind}/verifications`, scope, isInstallationWide: true } as const;
  return [
    route({
      ...common,
      method: 'POST',
      operationId: `start${name}Verification`,
      summary: `Start a check of ${subject}`,
      description:
        'It runs in the background and changes nothing. One that is under way is not started again.',
      body: z.object({}),
      response: verification,
      async handle(context) {
        return verificationResource(
          await context.verifications.start(kind, (signal) => verify(context, signal)),
        );
      },
    }),
    route({
      ...common,
      method: 'GET',
      operationId: `list${name}Verifications`,
      summary: `List the latest checks of ${subject}`,
      description: 'Those of the last 90 days that were started here or in the console.',
      response: verificationList,
      async handle({ verificationStore }) {
        return pageWith((await verificationStore.list(kind)).map(verificationResource), undefined);
      },
    }),
  ];
}

export const ledgerVerificationRoutes = verificationRoutes({
  kind: 'ledger',
  tag: 'Fleet',
  name: 'Ledger',
  subject: 'all sums of money',
  scope: 'pools:read',
  async verify(context, signal) {
    const { counts, disagreements } = await verifyLedger(context, signal);
    const ledger = {
      pools: Number(counts.pools),
      usage_records: Number(counts.usageRecords),
      ledger_entries: Number(counts.ledgerEntries),
      disagreements,
    };
    return { agrees: disagreements.length === 0, result: { ledger } };
  },
});

export const auditVerificationRoutes = verificationRoutes({
  kind: 'audit_log',
  tag: 'Audit',
  name: 'AuditLog',
  subject: 'the audit log',
  scope: 'audit:read',
  async verify(context, signal) {
    const { broken, events } = await verifyAuditLog(context, [], signal);
    const found = broken && { ...broken, position: Number(broken.position), id: broken.id ?? null };
    return {
      agrees: broken === undefined,
      result: { audit_log: { events: Number(events), broken: found ?? null } },
    };
  },
});
