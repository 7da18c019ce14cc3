import { readdir, readFile, writeFile } from 'node:fs/promises';

// Linux counts processor time in hundredths of a second, whatever the kernel's own clock does.
const MS_PER_TICK = 10;
const BYTES_PER_KB = 1024;

/** Where `stat` has the fields after the name of the program. */
const PARENT = 1;
const USER_TIME = 11;
const SYSTEM_TIME = 12;

/** Reads the fields of a process, or of one of its threads. */
async function readStat(task: number | string): Promise<string[]> {
	const stat = await readFile(`/proc/${task}/stat`, 'utf8');
	// The name may hold spaces and brackets, but it ends with the last bracket.
	return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

async function timeOf(task: number | string): Promise<number> {
	const stat = await readStat(task);
	return (Number(stat[USER_TIME]) + Number(stat[SYSTEM_TIME])) * MS_PER_TICK;
}

/** Processor time that a process has used so far, in milliseconds. */
export async function cpuTime(pid: number): Promise<number> {
	return await timeOf(pid);
}

/** The part of it that its first thread has used, which is where Node.js runs JavaScript. */
export async function mainThreadTime(pid: number): Promise<number> {
	return await timeOf(`${pid}/task/${pid}`);
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

async function readMemory(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
	return Number(kilobytes) * BYTES_PER_KB;
}

/** Memory that a process holds now, in bytes. */
export async function memoryNow(pid: number): Promise<number> {
	return await readMemory(pid, 'VmRSS');
}

/** The most memory that a process has held since the start or `forgetPeakMemory`, in bytes. */
export async function peakMemory(pid: number): Promise<number> {
	return await readMemory(pid, 'VmHWM');
}

/** Makes the peak begin anew, with what the process holds now. */
export async function forgetPeakMemory(pid: number): Promise<void> {
	await writeFile(`/proc/${pid}/clear_refs`, '5');
}
