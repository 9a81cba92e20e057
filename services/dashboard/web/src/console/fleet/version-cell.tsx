import { Badge, Group } from '@mantine/core';

/** Shows a version, marked if it is not that of the control plane that responds. */
export function VersionCell({ version, current }: { version: string; current: string }) {
  return (
    <Group gap="xs" wrap="nowrap">
      {version}
      {version !== current && <Badge color="yellow">Not {current}</Badge>}
    </Group>
  );
}
