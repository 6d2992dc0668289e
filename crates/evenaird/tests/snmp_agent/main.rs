//! The SNMP loss signal against net-snmp's agent, and against an agent that answers anything.

mod against_snmpd;
mod agent;
mod ber;
mod hostile;
mod namespace;
mod radio;
mod snmpd;
