import type { INodeProperties } from 'n8n-workflow';
import { filters } from './filters';
import { options } from './options';
import { registration } from './registration';
import { verification } from './verification';

/** The fields of the trigger's panel, from top to bottom. */
export const properties: INodeProperties[] = [...registration, ...verification, filters, options];
