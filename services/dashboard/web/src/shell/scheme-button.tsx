import { ActionIcon, type MantineColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';

const schemes: Record<MantineColorScheme, { next: MantineColorScheme; label: string }> = {
  auto: { next: 'light', label: 'Theme: system. Switch to light' },
  light: { next: 'dark', label: 'Theme: light. Switch to dark' },
  dark: { next: 'auto', label: 'Theme: dark. Switch to system' },
};

/** Switches between light, dark and the system's scheme; the browser stores the choice. */
export function SchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { next, label } = schemes[colorScheme];
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={42}
      aria-label={label}
      title={label}
      onClick={() => setColorScheme(next)}
    >
      {colorScheme === 'auto' && <IconDeviceDesktop size={20} aria-hidden />}
      {colorScheme === 'light' && <IconSun size={20} aria-hidden />}
      {colorScheme === 'dark' && <IconMoon size={20} aria-hidden />}
    </ActionIcon>
  );
}
