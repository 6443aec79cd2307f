import { areaASuite } from './functions-suite.ts';

areaASuite();
