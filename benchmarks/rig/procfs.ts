import { readdir, readFile } from 'node:fs/promises';

// Linux counts processor time in hundredths of a second, whatever the kernel's own clock does.
const MS_PER_TICK = 10;

/** Where `stat` has the fields after the name of the program. */
const PARENT = 1;
const USER_TIME = 11;
const SYSTEM_TIME = 12;

/** Reads the fields of a process. */
async function readStat(pid: number): Promise<string[]> {
	const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
	// The name may hold spaces and brackets, but it ends with the last bracket.
	return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Processor time that a process has used so far, in milliseconds. */
export async function cpuTime(pid: number): Promise<number> {
	const stat = await readStat(pid);
	return (Number(stat[USER_TIME]) + Number(stat[SYSTEM_TIME])) * MS_PER_TICK;
}

/** Finds the child of this process whose command line holds the text. */
export async function findChild(text: string): Promise<number> {
	for (const entry of await readdir('/proc')) {
		const pid = Number(entry);
		if (!Number.isInteger(pid)) continue;
		try {
			const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8');
			const parent = Number((await readStat(pid))[PARENT]);
			if (parent === process.pid && commandLine.includes(text)) return pid;
		} catch {
			// Processes come and go while the list is read.
		}
	}
	throw new Error(`No process with ${text} was started from here.`);
}
