import { Box } from '@mantine/core';
import { AuditLog } from '../../pages/audit/audit-page.tsx';
import { VerificationPanel } from '../verifications/verification-panel.tsx';

/** Shows who changed what in all accounts and in the installation, and checks that nobody changed the log. */
export function ConsoleAuditPage() {
  return (
    <AuditLog isAll>
      <Box mb="md">
        <VerificationPanel kind="audit_log" />
      </Box>
    </AuditLog>
  );
}
