import { Alert, type AlertProps } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';

/** Shows the result of an action. Takes the focus, because the button that had it is gone. */
export function FocusedAlert(props: AlertProps) {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => alert.current?.focus(), []);
  return <Alert ref={alert} tabIndex={-1} role="status" {...props} />;
}

/** @param isCertain false shows a warning */
export function ResultAlert({ isCertain, ...props }: AlertProps & { isCertain: boolean }) {
  return isCertain ? (
    <FocusedAlert color="green" icon={<IconCheck aria-hidden />} {...props} />
  ) : (
    <FocusedAlert color="orange" icon={<IconAlertTriangle aria-hidden />} {...props} />
  );
}
