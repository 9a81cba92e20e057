import { Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { productLogoUrl, productName } from '../product.ts';
import classes from './shell.module.css';

/** Shows the logo and name; links to the first page. */
export function Logo() {
  return (
    <Link to="/" className={classes.logo}>
      <Group gap={10} wrap="nowrap" component="span">
        <img src={productLogoUrl()} alt="" width={30} height={30} />
        <Text fw={700} size="md" component="span" className={classes.logoName}>
          {productName()}
        </Text>
      </Group>
    </Link>
  );
}
