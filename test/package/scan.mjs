// Runs the checks of n8n's own scanner for community packages on a folder. Its command takes packages
// from the public registry only. `node scan.mjs <folder> [patterns]` prints what it found as JSON.
import {
	analyzePackage,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';

const [folder, what] = process.argv.slice(2);
const patterns = what === 'sources' ? SOURCE_FILE_PATTERNS : ['**/*.js', 'package.json'];
const { passed, details } = await analyzePackage(folder, patterns);
console.log(JSON.stringify({ passed, details }));
