import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';

/** Shown in place of what is still being read. */
export function PageLoading({ label = 'Loading' }: { label?: string }) {
  return (
    <Stack gap="md" role="status">
      <VisuallyHidden>{label}</VisuallyHidden>
      <Skeleton height={28} width="40%" radius="md" />
      <Skeleton height={120} radius="md" />
      <Skeleton height={120} radius="md" />
    </Stack>
  );
}
