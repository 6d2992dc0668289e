// TCP, or UDP that never runs dry, over one 802.11b cell, for ns-3.44.
//
//   cell up=5 down=5 buffer=60 duration=30 seed=1
//   cell mode=udp stations=50 duration=30 seed=1
//
//   server ---- point-to-point link ---- access point  ))) (((  stations
//
// The cell is built to be the one that evenair simulates; what cannot be made equal is in
// ../README.md. The result is one line of JSON on standard output.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/propagation-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <iostream>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t UDP_AND_IP_HEADER = 28;

// key=value arguments over defaults; an unknown key ends the program with status 2.
std::map<std::string, std::string>
Options(int argc, char* argv[])
{
    std::map<std::string, std::string> options{
        {"mode", "tcp"},   // tcp: bulk transfers; udp: saturated uplink
        {"up", "5"},       // tcp: uploads, a station each
        {"down", "5"},     // tcp: downloads, a station each
        {"stations", "10"}, // udp: senders
        {"buffer", "60"},  // packets: the access point's queue, the one in transmission included
        {"station_buffer", ""}, // packets; 1000 with tcp, 50 with udp
        {"warmup", "0"},   // s, not measured
        {"duration", "30"}, // s, measured
        {"stagger", "0.1"}, // s between the starts of two flows, tcp
        {"window", "20"},  // segments that the receiver accepts
        {"segment", "1460"}, // bytes of payload
        {"delayed_ack", "2"}, // segments per ACK
        {"ip_bytes", "1500"}, // udp: size of a datagram with its headers
        {"offered", "16e6"}, // udp: bit/s at IP level, of all stations together
        {"seed", "1"},
    };
    for (int i = 1; i < argc; ++i)
    {
        const std::string word = argv[i];
        const auto cut = word.find('=');
        const auto known = options.find(word.substr(0, cut));
        if (cut == std::string::npos || known == options.end())
        {
            std::cerr << "cell: '" << word << "': expected key=value, with a key out of:";
            for (const auto& [key, value] : options)
            {
                std::cerr << ' ' << key;
            }
            std::cerr << '\n';
            std::exit(2);
        }
        known->second = word.substr(cut + 1);
    }
    if (options["station_buffer"].empty())
    {
        options["station_buffer"] = options["mode"] == "udp" ? "50" : "1000";
    }
    return options;
}

// TCP as RFC 6582 has it, without the options that came later.
void
ConfigureTcp(uint32_t segment, uint32_t window, uint32_t delayedAck)
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType",
                       TypeIdValue(TcpClassicRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::WindowScaling", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(Seconds(3)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::InitialSlowStartThreshold",
                       UintegerValue(window * segment));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(window * segment));
    // More than the receiver takes: the application never holds the sender up.
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4 * window * segment));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(delayedAck));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(100)));
}

// Ad hoc MACs: the frames and the medium access of an infrastructure cell (24 bytes of header, 8 of
// LLC/SNAP, 4 of FCS) without beacons and association, which evenair does not have either. Every rate
// is then a basic one, so that ACKs go at the data rate, 11 Mb/s.
NetDeviceContainer
MakeCell(const NodeContainer& ap,
         const NodeContainer& stations,
         const std::string& buffer,
         const std::string& stationBuffer)
{
    // Everyone hears everyone equally well and at once. With the preamble always detected, the
    // first of several frames in a slot is received, and found to be broken: EIFS follows, as the
    // standard has it.
    auto channel = CreateObject<YansWifiChannel>();
    auto loss = CreateObject<FixedRssLossModel>();
    loss->SetRss(-50.0);
    channel->SetPropagationLossModel(loss);
    channel->SetPropagationDelayModel(CreateObject<ConstantSpeedPropagationDelayModel>());
    YansWifiPhyHelper phy;
    phy.SetChannel(channel);
    phy.DisablePreambleDetectionModel();

    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211b);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue("DsssRate11Mbps"),
                                 "ControlMode",
                                 StringValue("DsssRate11Mbps"));
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");

    // The queue of the MAC is the only one (see RemoveQueueDiscs), and it drops nothing by age.
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Hours(1)));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", StringValue(buffer + "p"));
    NetDeviceContainer devices = wifi.Install(phy, mac, ap);
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", StringValue(stationBuffer + "p"));
    devices.Add(wifi.Install(phy, mac, stations));
    MobilityHelper mobility; // everyone in the same place: no propagation delay
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(ap);
    mobility.Install(stations);
    return devices;
}

void
RemoveQueueDiscs(const NetDeviceContainer& devices)
{
    TrafficControlHelper control;
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        auto layer = devices.Get(i)->GetNode()->GetObject<TrafficControlLayer>();
        if (layer && layer->GetRootQueueDiscOnDevice(devices.Get(i)))
        {
            control.Uninstall(devices.Get(i));
        }
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    auto options = Options(argc, argv);
    const auto number = [&](const char* key) { return std::stod(options[key]); };
    const auto whole = [&](const char* key) {
        return static_cast<uint32_t>(std::stoul(options[key]));
    };
    const bool tcp = options["mode"] == "tcp";
    const uint32_t up = tcp ? whole("up") : whole("stations");
    const uint32_t flows = tcp ? up + whole("down") : up;
    const double begin = number("warmup");
    const double end = begin + number("duration");

    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(whole("seed"));
    ConfigureTcp(whole("segment"), whole("window"), whole("delayed_ack"));

    NodeContainer server(1);
    NodeContainer ap(1);
    NodeContainer stations(flows);
    PointToPointHelper wire;
    wire.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    wire.SetChannelAttribute("Delay", StringValue("2ms"));
    wire.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("100000p"));
    const NetDeviceContainer wired = wire.Install(server.Get(0), ap.Get(0));
    const NetDeviceContainer cell =
        MakeCell(ap, stations, options["buffer"], options["station_buffer"]);

    InternetStackHelper internet;
    internet.SetIpv6StackInstall(false);
    internet.Install(NodeContainer(server, ap, stations));
    Ipv4AddressHelper addresses;
    addresses.SetBase("10.1.0.0", "255.255.0.0");
    const Ipv4InterfaceContainer wiredAddress = addresses.Assign(wired);
    addresses.SetBase("10.2.0.0", "255.255.0.0");
    const Ipv4InterfaceContainer cellAddress = addresses.Assign(cell);
    RemoveQueueDiscs(wired);
    RemoveQueueDiscs(cell);

    // Static routes and neighbours: no ARP on the air.
    Ipv4StaticRoutingHelper routing;
    routing.GetStaticRouting(server.Get(0)->GetObject<Ipv4>())
        ->SetDefaultRoute(wiredAddress.GetAddress(1), 1);
    for (uint32_t i = 0; i < flows; ++i)
    {
        routing.GetStaticRouting(stations.Get(i)->GetObject<Ipv4>())
            ->SetDefaultRoute(cellAddress.GetAddress(0), 1);
    }
    // Stations need the access point's address alone; the whole table would have n^2 entries.
    NeighborCacheHelper neighbours;
    for (uint32_t i = 0; i < flows; ++i)
    {
        NetDeviceContainer pair(cell.Get(0));
        pair.Add(cell.Get(i + 1));
        neighbours.PopulateNeighborCache(pair);
    }

    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t i = 0; i < flows; ++i)
    {
        const bool upload = i < up;
        const Ptr<Node> from = upload ? stations.Get(i) : server.Get(0);
        const Ptr<Node> to = upload ? server.Get(0) : stations.Get(i);
        const uint16_t port = 1000 + i;
        const InetSocketAddress address(upload ? wiredAddress.GetAddress(0)
                                               : cellAddress.GetAddress(i + 1),
                                        port);
        const std::string factory = tcp ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory";
        PacketSinkHelper sink(factory, InetSocketAddress(Ipv4Address::GetAny(), port));
        const ApplicationContainer sinkApp = sink.Install(to);
        sinks.push_back(DynamicCast<PacketSink>(sinkApp.Get(0)));

        ApplicationContainer source;
        if (tcp)
        {
            BulkSendHelper bulk(factory, address);
            bulk.SetAttribute("MaxBytes", UintegerValue(0));
            source = bulk.Install(from);
            source.Start(Seconds(number("stagger") * i));
        }
        else
        {
            const uint32_t payload = whole("ip_bytes") - UDP_AND_IP_HEADER;
            OnOffHelper constant(factory, address);
            constant.SetConstantRate(
                DataRate(static_cast<uint64_t>(number("offered") * payload / whole("ip_bytes") /
                                               flows)),
                payload);
            source = constant.Install(from);
            source.Start(Seconds(0.7 * i / flows));
        }
    }

    std::vector<uint64_t> before(flows);
    Simulator::Schedule(Seconds(begin), [&] {
        for (uint32_t i = 0; i < flows; ++i)
        {
            before[i] = sinks[i]->GetTotalRx();
        }
    });
    Simulator::Stop(Seconds(end));
    Simulator::Run();

    std::cout << "{\"goodput_mbps\": [";
    for (uint32_t i = 0; i < flows; ++i)
    {
        const double bits = 8.0 * (sinks[i]->GetTotalRx() - before[i]);
        std::cout << (i ? ", " : "") << bits / (end - begin) / 1e6;
    }
    std::cout << "], \"events\": " << Simulator::GetEventCount() << "}\n";
    Simulator::Destroy();
    return 0;
}
