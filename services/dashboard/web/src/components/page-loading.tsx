import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';

/** Shows placeholders while content loads. */
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
